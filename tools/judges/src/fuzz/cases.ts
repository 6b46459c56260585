import { createChance } from '../chance.js';
import type { Chance } from '../chance.js';
import type { Node } from './bson/node.js';
import { text } from './bson/make.js';
import type { Corpus } from './corpus/corpus.js';
import type { Message, Section } from './message.js';
import { frameOf, messageOf, opMsg } from './message.js';
import { mutateFrame, mutateMessage } from './mutate/frames.js';
import { mutateNodes } from './mutate/nodes.js';
import { pipelineOf, valueOf } from './mutate/values.js';
import { commands, isExcluded } from './mutate/words.js';

/** Frames that one client sends on its own connection. */
export interface Case {
  readonly frames: readonly Buffer[];
}

const bodyOf = ({ sections }: Message): readonly Node[] => {
  const body = sections.find(section => 'nodes' in section);
  return body !== undefined && 'nodes' in body ? body.nodes : [];
};

/** Makes a random command. */
const invented = (chance: Chance): Message => {
  const name = chance.yes(0.5) ? chance.pick(['find', 'aggregate', 'update', 'insert']) : chance.pick(commands);
  const target = chance.yes(0.7) ? text(name, 'c') : valueOf(chance, name, 1);
  const more = chance.many(0, 4, () =>
    valueOf(chance, chance.pick(['filter', 'pipeline', 'updates', 'documents', 'cursor', 'sort']), 3),
  );
  const pipeline = name === 'aggregate' ? [pipelineOf(chance, 'pipeline', 3)] : [];
  return messageOf(1, [target, ...pipeline, ...more, text('$db', chance.yes(0.95) ? 'fuzz' : 'admin')]);
};

const mutatedSection = (chance: Chance, section: Section, other: readonly Node[]): Section =>
  'nodes' in section
    ? { ...section, nodes: mutateNodes(chance, section.nodes, other) }
    : { ...section, documents: section.documents.map(nodes => mutateNodes(chance, nodes, other)) };

const mutated = (chance: Chance, message: Message, other: Message): Message => {
  const nodes = bodyOf(other);
  const chosen = chance.below(message.sections.length);
  const sections = message.sections.map((section, at) =>
    at === chosen ? mutatedSection(chance, section, nodes) : section,
  );
  return { ...message, sections };
};

const isAllowed = (message: Message): boolean => !isExcluded(bodyOf(message)[0]?.name ?? '');

const requestOf = (chance: Chance, { frames, messages }: Corpus): Buffer => {
  const message = chance.yes(0.15) ? invented(chance) : chance.pick(messages);
  const changed = chance.yes(0.85) ? mutated(chance, message, chance.pick(messages)) : message;
  if (!isAllowed(changed)) return requestOf(chance, { frames, messages });
  const frame = mutateMessage(chance, changed);
  if (chance.yes(0.12)) return mutateFrame(chance, chance.yes(0.5) ? frame : chance.pick(frames));
  return chance.yes(0.002) ? frameOf(1, opMsg, Buffer.from(chance.many(0, 200, () => chance.below(256)))) : frame;
};

/** Draws the case with this number. The same seed and number give the same frames. */
export const caseOf = (seed: number, number: number, corpus: Corpus): Case => {
  const chance = createChance(Math.imul(seed, 1_000_003) + number);
  return { frames: chance.many(1, 4, () => requestOf(chance, corpus)) };
};
