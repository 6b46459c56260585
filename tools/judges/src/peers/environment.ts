/** What a program needs of the environment; all else might tell its tests of another server, or of a cloud that it runs in. */
const needed =
  /^(?:PATH|HOME|USER|LANG|LC_\w+|TZ|TMPDIR|TEMP|TMP|SystemRoot|JAVA_HOME|\w*_proxy|\w*_PROXY|SSL_CERT_\w+)$/;

/** This process's environment without what might mislead. */
export const plainEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => needed.test(name)));
