import type { OpTime } from '../log/op-time.js';
import { compareOpTimes } from '../log/op-time.js';
import type { MemberConfig, SetConfig } from './set-config.js';
import { majorityVotes } from './set-config.js';

/** A member as an election sees it. */
export interface Candidate {
  readonly config: MemberConfig;
  readonly term: bigint;
  /** The newest that it has. */
  readonly last: OpTime;
  readonly configVersion: number;
}

export type Vote = { readonly granted: true } | { readonly granted: false; readonly why: string };

/** Whether a voter votes for a candidate. Rule: it must know no less than whoever votes for it. */
export const voteOf = (voter: Candidate, candidate: Candidate): Vote => {
  if (candidate.configVersion < voter.configVersion) {
    return {
      granted: false,
      why: `candidate's config with version ${candidate.configVersion} is older than mine with version ${voter.configVersion}`,
    };
  }
  // An arbiter has nothing that a candidate could lack.
  if (!voter.config.arbiterOnly && compareOpTimes(candidate.last, voter.last) < 0) {
    return { granted: false, why: "candidate's data is staler than mine" };
  }
  return { granted: true };
};

export type Election = { readonly won: true; readonly term: bigint } | { readonly won: false; readonly why: string };

/**
 * What comes of it when a member asks those whom it reaches for their votes.
 * @param reached voters among them, the candidate included if it votes
 */
export const electionOf = (config: SetConfig, candidate: Candidate, reached: readonly Candidate[]): Election => {
  const { priority, arbiterOnly, host } = candidate.config;
  if (arbiterOnly) return { won: false, why: `${host} is an arbiter` };
  if (priority === 0) return { won: false, why: `${host} has a priority of 0` };
  const needed = majorityVotes(config);
  const votes = reached.map(voter => voteOf(voter, candidate));
  const granted = votes.filter(vote => vote.granted).length;
  if (granted >= needed) {
    const latest = reached.reduce((most, { term }) => (term > most ? term : most), candidate.term);
    return { won: true, term: latest + 1n };
  }
  const refusals = votes.flatMap(vote => (vote.granted ? [] : [vote.why]));
  const why = refusals[0] ?? 'not enough members can be reached';
  return { won: false, why: `${granted} of ${needed} votes that ${host} needs: ${why}` };
};
