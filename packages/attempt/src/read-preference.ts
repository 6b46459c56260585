import { secondariesWriteSince } from '@tessera/contracts';
import type { Document, Operation, Selection, ServerType, TopologyType } from '@tessera/contracts';

/** The read preference that allows a directly connected server of any type to answer. */
const primaryPreferred: Document = { mode: 'primaryPreferred' };
const documents = new WeakMap<Selection, Document>();

/**
 * Returns the value of `$readPreference` for a command, or undefined if it must not be sent. The same selection gives the same
 * document. Rule: Server Selection, "Passing read preference to mongos and load balancers", "Topology type: Single", "Read operations"; CRUD, "aggregate".
 */
export const readPreferenceFor = (
  { selection, kind }: Operation<unknown>,
  topology: TopologyType,
  server: ServerType,
  maxWireVersion: number = Infinity,
): Document | undefined => {
  if (server === 'Standalone') return undefined;
  if (selection.mode !== 'primary')
    return selection.writes === true && maxWireVersion < secondariesWriteSince ? undefined : documentOf(selection);
  return topology === 'Single' && server !== 'Mongos' && kind !== 'write' ? primaryPreferred : undefined;
};

const documentOf = (selection: Selection): Document => {
  let document = documents.get(selection);
  if (document === undefined) {
    const { mode, tags, maxStalenessSeconds, hedge } = selection;
    document = {
      mode,
      ...(tags !== undefined && tags.length > 0 ? { tags } : {}),
      ...(maxStalenessSeconds !== undefined && maxStalenessSeconds > 0 ? { maxStalenessSeconds } : {}),
      ...(hedge === undefined ? {} : { hedge }),
    };
    documents.set(selection, document);
  }
  return document;
};
