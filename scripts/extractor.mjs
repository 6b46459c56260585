// The configuration of API Extractor for the reports of the public API and for combined declarations.
import { join } from 'node:path';
import { ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';

const quiet = { logLevel: ExtractorLogLevel.None, addToApiReportFile: false };

/**
 * Returns a configuration that reports no messages. An output that is not given is not written.
 * @param {string} folder the folder of the package
 * @param {string} entry the declaration file of the entry, relative to the folder
 * @param {string} tsconfig the path of the configuration of TypeScript
 * @param {Partial<import('@microsoft/api-extractor').IConfigFile>} output
 */
export const extractorConfig = (folder, entry, tsconfig, output) =>
  ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: join(folder, entry),
      compiler: { tsconfigFilePath: tsconfig, skipLibCheck: true },
      apiReport: { enabled: false, reportFileName: 'api' },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      tsdocMetadata: { enabled: false },
      newlineKind: 'lf',
      messages: {
        compilerMessageReporting: { default: quiet },
        extractorMessageReporting: { default: quiet },
        tsdocMessageReporting: { default: quiet },
      },
      ...output,
    },
  });
