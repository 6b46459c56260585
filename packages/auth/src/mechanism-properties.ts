import type { AwsCredentialProvider } from './aws-credentials.js';
import type { OidcCallback } from './oidc-callback.js';

/**
 * The members of the option authMechanismProperties, by mechanism. Rule: Authentication, "MongoCredential Properties".
 */
export interface AuthMechanismProperties {
  /** MONGODB-OIDC. */
  readonly ENVIRONMENT?: 'test' | 'azure' | 'gcp' | 'k8s';
  readonly TOKEN_RESOURCE?: string;
  readonly OIDC_CALLBACK?: OidcCallback;
  readonly OIDC_HUMAN_CALLBACK?: OidcCallback;
  readonly ALLOWED_HOSTS?: readonly string[];
  /** MONGODB-AWS. */
  readonly AWS_SESSION_TOKEN?: string;
  readonly AWS_CREDENTIAL_PROVIDER?: AwsCredentialProvider;
  /** GSSAPI. */
  readonly SERVICE_NAME?: string;
  readonly SERVICE_REALM?: string;
  readonly SERVICE_HOST?: string;
  readonly CANONICALIZE_HOST_NAME?: boolean | 'none' | 'forward' | 'forwardAndReverse';
}
