/** Wraps a wire codec and records the frames sent, their bytes and the replies. */
import type { WireCodec } from '@tessera/contracts';

/** The counts for one command name. */
export interface Frames {
  readonly sent: number;
  readonly bytes: number;
  readonly answered: number;
}

export interface Recorder {
  readonly frames: ReadonlyMap<string, Frames>;
  wrap(wire: WireCodec): WireCodec;
}

const none: Frames = { sent: 0, bytes: 0, answered: 0 };

export const createRecorder = (): Recorder => {
  const frames = new Map<string, Frames>();
  const unanswered = new Map<number, string>();
  const of = (name: string): Frames => frames.get(name) ?? none;

  return {
    frames,
    wrap: wire => ({
      write: (requestId, message) => {
        const { name } = message;
        const frame = wire.write(requestId, message);
        const { sent, bytes, answered } = of(name);
        frames.set(name, { sent: sent + 1, bytes: bytes + frame.length, answered });
        unanswered.set(requestId, name);
        return frame;
      },
      release: frame => {
        wire.release(frame);
      },
      compress: (frame, compressor) => wire.compress(frame, compressor),
      document: frame => wire.document(frame),
      reader: ({ readsAhead, take, failed }) =>
        wire.reader({
          readsAhead,
          take: (to, reply, more, id) => {
            const name = unanswered.get(to);
            if (name !== undefined) frames.set(name, { ...of(name), answered: of(name).answered + 1 });
            unanswered.delete(to);
            take(to, reply, more, id);
          },
          failed,
        }),
    }),
  };
};
