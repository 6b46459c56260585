import { join } from 'node:path';
import type { Engine } from './engine.js';
import { recipes } from '../folders.js';
import { javaProgram } from './java.js';

const at = (name: string): string => join(recipes, 'mongo-java-server', name);

const recipe = { pom: at('pom.xml'), jars: at('jars.sha256'), sources: [at('Main.java')] };

export const mongoJavaServer: Engine = {
  description: 'mongo-java-server 1.47.0 (Java, in memory); standalone',
  install: async signal => {
    const classes = await javaProgram('mongo-java-server', recipe, signal);
    return { file: 'java', args: ['-Xmx1g', '-cp', classes, 'Main'] };
  },
  persona: () => ({ args: [], query: '' }),
  tls: ({ certificate, key }) => [certificate, key],
  auth: undefined,
};
