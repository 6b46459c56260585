// Oxlint loads the default export of this file, as .oxlintrc.json says.
export { plugin as default } from './dist/ladder/plugin.js';
