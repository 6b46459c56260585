import type { AwsCredentialProvider } from './aws-credentials.js';
import type { OidcCallback } from './oidc-callback.js';

/**
 * The members of the option authMechanismProperties, by mechanism. Rule: Authentication, "MongoCredential Properties".
 */
export interface AuthMechanismProperties {
  /** MONGODB-OIDC. */
  ENVIRONMENT?: 'test' | 'azure' | 'gcp' | 'k8s';
  TOKEN_RESOURCE?: string;
  OIDC_CALLBACK?: OidcCallback;
  OIDC_HUMAN_CALLBACK?: OidcCallback;
  ALLOWED_HOSTS?: string[];
  /** MONGODB-AWS. */
  AWS_SESSION_TOKEN?: string;
  AWS_CREDENTIAL_PROVIDER?: AwsCredentialProvider;
  /** GSSAPI. */
  SERVICE_NAME?: string;
  SERVICE_REALM?: string;
  SERVICE_HOST?: string;
  CANONICALIZE_HOST_NAME?: boolean | 'none' | 'forward' | 'forwardAndReverse';
}
