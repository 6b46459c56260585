export * from '../../dist/package.cjs';
