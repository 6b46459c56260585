import fc from 'fast-check';

// Property tests use a fixed seed, so that every run is the same. `PROPERTY_SEED=random` uses another seed in each run,
// which finds more bugs. A failure prints its seed.
const { PROPERTY_SEED: seed = '1' } = process.env;
fc.configureGlobal(seed === 'random' ? {} : { seed: Number(seed) });
