import type { Message } from '@tessera/contracts';

/** Waits for the late reply of an abandoned message. The connection reads and skips the reply, and is then free. */
export class Draining {
  readonly message: Message;
  #usable: Promise<boolean> | undefined;
  #settle: (usable: boolean) => void = () => {};

  constructor(message: Message) {
    this.message = message;
  }

  /** Resolves to whether the connection can be used again. */
  get usable(): Promise<boolean> {
    return (this.#usable ??= new Promise(resolve => {
      this.#settle = resolve;
    }));
  }

  end(usable: boolean): void {
    this.#settle(usable);
  }
}
