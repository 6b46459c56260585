import type { OpTime } from '@tessera/store';
import { compareOpTimes } from '@tessera/store';
import type { MemberConfig, SetConfig } from './set-config.js';
import { majorityVotes } from './set-config.js';

/** The properties of a member that an election depends on. */
export interface Candidate {
  readonly config: MemberConfig;
  readonly term: bigint;
  /** The optime of its last entry. */
  readonly last: OpTime;
  readonly configVersion: number;
}

export type Vote = { readonly granted: true } | { readonly granted: false; readonly why: string };

/**
 * Returns a voter's vote for a candidate. Rule: a candidate's configuration and data must be at least as recent as the
 * voter's.
 */
export const voteOf = (voter: Candidate, candidate: Candidate): Vote => {
  if (candidate.configVersion < voter.configVersion) {
    return {
      granted: false,
      why: `candidate's config with version ${candidate.configVersion} is older than mine with version ${voter.configVersion}`,
    };
  }
  // An arbiter has no data with which the candidate's could be compared.
  if (!voter.config.arbiterOnly && compareOpTimes(candidate.last, voter.last) < 0) {
    return { granted: false, why: "candidate's data is staler than mine" };
  }
  return { granted: true };
};

export type Election = { readonly won: true; readonly term: bigint } | { readonly won: false; readonly why: string };

/**
 * Returns the result of an election in which a member requests votes from the members that it reaches.
 * @param reached the reached voters, including the candidate if it votes
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
