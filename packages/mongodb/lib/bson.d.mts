export * from 'bson';
