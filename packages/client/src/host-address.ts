import type { Address } from '@tessera/contracts';

/** One host of a connection string, with the members of the official driver's class. Converts to `host:port`. */
export class HostAddress {
  /** The host name or IP address, in lower case. Undefined for a Unix socket. */
  readonly host: string | undefined;
  /** Undefined for a Unix socket. */
  readonly port: number | undefined;
  /** The path of a Unix socket. */
  readonly socketPath: string | undefined;
  readonly isIPv6: boolean;

  static {
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: HostAddress): string {
        return this.inspect();
      },
    });
  }

  /** @param address `host:port`, `[IPv6]:port`, or the path of a Unix socket; the port defaults to 27017 */
  constructor(address: Address) {
    const [, ip6, name, port] = /^(?:\[(.*)\]|([^/]*?))(?::(\d+))?$/.exec(address) ?? [];
    const host = ip6 ?? name;
    const isSocket = host === undefined || address.endsWith('.sock');
    this.host = isSocket ? undefined : host.toLowerCase();
    this.port = isSocket ? undefined : Number(port ?? 27_017);
    this.socketPath = isSocket ? address : undefined;
    this.isIPv6 = ip6 !== undefined;
    Object.freeze(this);
  }

  static fromString(address: string): HostAddress {
    return new HostAddress(address);
  }

  static fromHostPort(host: string, port: number): HostAddress {
    return new HostAddress(`${host.includes(':') ? `[${host}]` : host}:${port}`);
  }

  inspect(): string {
    return `new HostAddress('${this.toString()}')`;
  }

  toString(): string {
    const { host = '', port, socketPath, isIPv6 } = this;
    return socketPath ?? `${isIPv6 ? `[${host}]` : host}:${port}`;
  }

  toHostPort(): { host: string; port: number } {
    return { host: this.socketPath ?? this.host ?? '', port: this.port ?? 0 };
  }
}
