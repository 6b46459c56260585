// Error classes that programs written for the official driver import and test with `instanceof`. This driver never
// throws them: it throws one of their base classes instead.
import { MongoAPIError, MongoRuntimeError } from '@tessera/client';

export class MongoMissingCredentialsError extends MongoAPIError {
  override get name(): string {
    return 'MongoMissingCredentialsError';
  }
}
export class MongoMissingDependencyError extends MongoAPIError {
  override get name(): string {
    return 'MongoMissingDependencyError';
  }
}
export class MongoServerClosedError extends MongoAPIError {
  override get name(): string {
    return 'MongoServerClosedError';
  }
}
export class MongoTopologyClosedError extends MongoAPIError {
  override get name(): string {
    return 'MongoTopologyClosedError';
  }
}
export class MongoStalePrimaryError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoStalePrimaryError';
  }
}
export class MongoDecompressionError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoDecompressionError';
  }
}
export class MongoClientBulkWriteCursorError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoClientBulkWriteCursorError';
  }
}
export class MongoAWSError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoAWSError';
  }
}
export class MongoKerberosError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoKerberosError';
  }
}
export class MongoOIDCError extends MongoRuntimeError {
  override get name(): string {
    return 'MongoOIDCError';
  }
}
export class MongoAzureError extends MongoOIDCError {
  override get name(): string {
    return 'MongoAzureError';
  }
}
export class MongoGCPError extends MongoOIDCError {
  override get name(): string {
    return 'MongoGCPError';
  }
}
