import type { Address } from '@tessera/contracts';

/** One host of a connection string, with the members of the official driver's class. Converts to `host:port`. */
export class HostAddress {
  /** The host name or IP address, in lower case. Undefined for a Unix socket. */
  readonly host: string | undefined;
  /** Undefined for a Unix socket. */
  readonly port: number | undefined;
  /** The path of a Unix socket. */
  readonly socketPath: string | undefined;
  /** Whether the host is an IPv6 address. */
  readonly isIPv6: boolean;

  static {
    Object.defineProperty(this.prototype, Symbol.for('nodejs.util.inspect.custom'), {
      value(this: HostAddress): string {
        return this.inspect();
      },
    });
  }

  /** Parses an address. */
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

  /** Returns the address that the text describes. */
  static fromString(address: string): HostAddress {
    return new HostAddress(address);
  }

  /** Returns the address of a host and a port. */
  static fromHostPort(host: string, port: number): HostAddress {
    return new HostAddress(`${host.includes(':') ? `[${host}]` : host}:${port}`);
  }

  /** Returns the address of an SRV record. */
  static fromSrvRecord({ name, port }: { readonly name: string; readonly port: number }): HostAddress {
    return HostAddress.fromHostPort(name, port);
  }

  /** Returns the expression that creates the address. */
  inspect(): string {
    return `new HostAddress('${this.toString()}')`;
  }

  /** Returns the address as text, such as `db1:27017`. */
  toString(): string {
    const { host = '', port, socketPath, isIPv6 } = this;
    return socketPath ?? `${isIPv6 ? `[${host}]` : host}:${port}`;
  }

  /** Returns the host and the port. */
  toHostPort(): { host: string; port: number } {
    return { host: this.socketPath ?? this.host ?? '', port: this.port ?? 0 };
  }
}
