// Error classes that programs written for the official driver import and test with `instanceof`. This driver never
// throws them: it throws one of their base classes instead.
import { MongoAPIError, MongoRuntimeError } from '@tessera/client';

/** Thrown by the official driver when the client has no credentials. This driver never throws it. */
export class MongoMissingCredentialsError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoMissingCredentialsError';
  }
}
/** Thrown by the official driver when a package is missing. This driver never throws it. */
export class MongoMissingDependencyError extends MongoAPIError {
  /** The name of the missing package. */
  dependencyName: string;
  /** The error that Node.js threw. */
  declare cause: Error;

  /** Creates an error. Applications create errors only in tests. */
  constructor(message: string, options: { cause: Error; dependencyName: string }) {
    super(message, options);
    this.dependencyName = options.dependencyName;
  }

  /** The name of the class. */
  override get name(): string {
    return 'MongoMissingDependencyError';
  }
}
/** Thrown by the official driver when a server was closed. This driver never throws it. */
export class MongoServerClosedError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoServerClosedError';
  }
}
/** Thrown by the official driver when the client was closed. This driver never throws it. */
export class MongoTopologyClosedError extends MongoAPIError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoTopologyClosedError';
  }
}
/** Thrown by the official driver when an old primary replied after an election. This driver never throws it. */
export class MongoStalePrimaryError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoStalePrimaryError';
  }
}
/** Thrown by the official driver when a compressed reply is malformed. This driver never throws it. */
export class MongoDecompressionError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoDecompressionError';
  }
}
/** Thrown by the official driver when the result cursor of a client bulk write failed. This driver never throws it. */
export class MongoClientBulkWriteCursorError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoClientBulkWriteCursorError';
  }
}
/** Thrown by the official driver when authentication with AWS failed. This driver never throws it. */
export class MongoAWSError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoAWSError';
  }
}
/** Thrown by the official driver when authentication with Kerberos failed. This driver never throws it. */
export class MongoKerberosError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoKerberosError';
  }
}
/** Thrown by the official driver when authentication with OIDC failed. This driver never throws it. */
export class MongoOIDCError extends MongoRuntimeError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoOIDCError';
  }
}
/** Thrown by the official driver when Azure returned no token. This driver never throws it. */
export class MongoAzureError extends MongoOIDCError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoAzureError';
  }
}
/** Thrown by the official driver when Google Cloud returned no token. This driver never throws it. */
export class MongoGCPError extends MongoOIDCError {
  /** The name of the class. */
  override get name(): string {
    return 'MongoGCPError';
  }
}
