/** The types of test files. Rule: Unified Test Format, "Test Format". */
import type { Document } from '@tessera/contracts';

export interface Requirement {
  readonly minServerVersion?: string;
  readonly maxServerVersion?: string;
  readonly topologies?: readonly string[];
  readonly serverless?: 'require' | 'forbid' | 'allow';
  readonly auth?: boolean;
  readonly authMechanism?: string;
  readonly serverParameters?: Document;
  readonly csfle?: boolean | Document;
}

export interface ExpectedError {
  readonly isError?: true;
  readonly isClientError?: boolean;
  readonly isTimeoutError?: boolean;
  readonly errorContains?: string;
  readonly errorCode?: number;
  readonly errorCodeName?: string;
  readonly errorLabelsContain?: readonly string[];
  readonly errorLabelsOmit?: readonly string[];
  readonly errorResponse?: Document;
  readonly writeErrors?: Document;
  readonly writeConcernErrors?: readonly Document[];
  readonly expectResult?: unknown;
}

export interface Operation {
  readonly name: string;
  readonly object: string;
  readonly arguments?: Document;
  readonly expectError?: ExpectedError;
  readonly expectResult?: unknown;
  readonly ignoreResultAndError?: boolean;
  readonly saveResultAsEntity?: string;
}

export type EventType = 'command' | 'cmap' | 'sdam';

export interface ExpectedEvents {
  readonly client: string;
  readonly eventType?: EventType;
  readonly events: readonly Document[];
  readonly ignoreExtraEvents?: boolean;
}

export interface ExpectedMessage {
  readonly level: string;
  readonly component: string;
  readonly failureIsRedacted?: boolean;
  readonly data: Document;
}

export interface ExpectedMessages {
  readonly client: string;
  readonly messages: readonly ExpectedMessage[];
  readonly ignoreExtraMessages?: boolean;
  readonly ignoreMessages?: readonly ExpectedMessage[];
}

export interface CollectionData {
  readonly databaseName: string;
  readonly collectionName: string;
  readonly createOptions?: Document;
  readonly documents: readonly Document[];
}

/** A document with one key, the kind of the entity, and its description. */
export type EntityDescription = Readonly<Record<string, Document>>;

export interface UnifiedTest {
  readonly description: string;
  readonly skipReason?: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly operations: readonly Operation[];
  readonly expectEvents?: readonly ExpectedEvents[];
  readonly expectLogMessages?: readonly ExpectedMessages[];
  readonly expectTracingMessages?: readonly Document[];
  readonly outcome?: readonly CollectionData[];
}

export interface UnifiedFile {
  readonly description: string;
  readonly schemaVersion: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly createEntities?: readonly EntityDescription[];
  readonly initialData?: readonly CollectionData[];
  readonly tests: readonly UnifiedTest[];
}
