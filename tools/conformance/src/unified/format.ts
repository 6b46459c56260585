/** The part of the unified test format that is run here. Rule: Unified Test Format. */
import type { Document } from '@tessera/contracts';

export interface Requirement {
  readonly minServerVersion?: string;
  readonly maxServerVersion?: string;
  readonly topologies?: readonly string[];
  readonly serverless?: 'require' | 'forbid' | 'allow';
  readonly auth?: boolean;
  readonly serverParameters?: Document;
  readonly csfle?: unknown;
}

export interface Operation {
  readonly name: string;
  readonly object: string;
  readonly arguments?: Document;
  readonly expectError?: Document;
  readonly expectResult?: unknown;
  readonly ignoreResultAndError?: boolean;
  readonly saveResultAsEntity?: string;
}

export interface ExpectedEvents {
  readonly client: string;
  readonly eventType?: string;
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
  readonly documents: readonly Document[];
}

export interface UnifiedTest {
  readonly description: string;
  readonly skipReason?: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly operations: readonly Operation[];
  readonly expectEvents?: readonly ExpectedEvents[];
  readonly expectLogMessages?: readonly ExpectedMessages[];
  readonly outcome?: readonly CollectionData[];
}

export interface UnifiedFile {
  readonly schemaVersion: string;
  readonly runOnRequirements?: readonly Requirement[];
  readonly createEntities?: readonly Readonly<Record<string, Document>>[];
  readonly initialData?: readonly CollectionData[];
  readonly tests: readonly UnifiedTest[];
}
