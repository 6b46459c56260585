import type { AwsCredentialProvider } from './aws-credentials.js';
import type { OidcCallback } from './oidc-callback.js';

/**
 * The members of the option authMechanismProperties, by mechanism. Rule: Authentication, "MongoCredential Properties".
 */
export interface AuthMechanismProperties {
  /** MONGODB-OIDC. */
  ENVIRONMENT?: 'test' | 'azure' | 'gcp' | 'k8s';
  /** MONGODB-OIDC: the resource for which Azure or Google Cloud issues the token. */
  TOKEN_RESOURCE?: string;
  /** MONGODB-OIDC: returns a token, for applications without a user, such as services. */
  OIDC_CALLBACK?: OidcCallback;
  /** MONGODB-OIDC: returns a token after a user has signed in. */
  OIDC_HUMAN_CALLBACK?: OidcCallback;
  /** MONGODB-OIDC: the hosts that may receive a user's token. Default: MongoDB Atlas and the local host. */
  ALLOWED_HOSTS?: string[];
  /** MONGODB-AWS. */
  AWS_SESSION_TOKEN?: string;
  /** MONGODB-AWS: returns credentials. Default: the environment, then the metadata services of AWS. */
  AWS_CREDENTIAL_PROVIDER?: AwsCredentialProvider;
  /** GSSAPI. */
  SERVICE_NAME?: string;
  /** GSSAPI: the realm of the service. */
  SERVICE_REALM?: string;
  /** GSSAPI: the host name in the service principal. Default: that of the server. */
  SERVICE_HOST?: string;
  /** GSSAPI: how the host name is resolved to a canonical name. Default: `none`. */
  CANONICALIZE_HOST_NAME?: boolean | 'none' | 'forward' | 'forwardAndReverse';
}
