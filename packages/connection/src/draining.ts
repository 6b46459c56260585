import type { Message } from '@tessera/contracts';

/** The wait for the late reply of a message that was given up. The connection reads and skips it, and is free then. */
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
