const ofCollection = Symbol('Collection');
const ofDatabase = Symbol('Database');
const ofCluster = Symbol('Cluster');

/** Returns the symbol by which libraries distinguish what a change stream watches. */
export const changeStreamKind = (collection: string, isCluster: boolean): symbol => {
  if (isCluster) return ofCluster;
  return collection === '' ? ofDatabase : ofCollection;
};
