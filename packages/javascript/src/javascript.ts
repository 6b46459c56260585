import variant from '@jitl/quickjs-ng-wasmfile-release-sync';
import type { QuickJSSyncVariant } from 'quickjs-emscripten-core';
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core';
import type { RealmOptions } from './realm.js';
import { Realm } from './realm.js';

/** A loaded JavaScript engine. */
export interface JavaScript {
  /** The number of open realms. */
  readonly realms: number;
  /** Whether an error of the engine itself has occurred. Load another. */
  readonly isBroken: boolean;
  /**
   * Compiles functions.
   * @throws JavaScriptError for a source that is not JavaScript
   */
  open(options: RealmOptions): Realm;
}

/** Loads QuickJS, which runs in WebAssembly. Its scripts reach nothing of the host except the given functions. */
export const loadJavaScript = async (): Promise<JavaScript> => {
  // The package declares the types of its CommonJS module for its ES module as well.
  const module = await newQuickJSWASMModuleFromVariant(variant as unknown as QuickJSSyncVariant);
  let realms = 0;
  let isBroken = false;
  return {
    get realms() {
      return realms;
    },
    get isBroken() {
      return isBroken;
    },
    open: options => {
      realms += 1;
      const engine = {
        module,
        closed: () => {
          realms -= 1;
        },
        broke: () => {
          isBroken = true;
        },
      };
      return new Realm(engine, options);
    },
  };
};
