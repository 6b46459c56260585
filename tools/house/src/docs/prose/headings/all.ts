import { authenticationHeadings } from './authentication.js';
import { connectionHeadings } from './connections.js';
import { discoveryHeadings } from './discovery.js';
import { documentHeadings } from './documents.js';
import type { HeadingList } from './list.js';
import { managementHeadings } from './management.js';
import { operationHeadings } from './operations.js';

/**
 * The headings of the prose tests of mongodb/specifications, read file by file at the revisions that stand beside them. A list
 * at the audited revision was read in a copy of the text that does not name its commit. Retryable Reads 4 and 5, Retryable
 * Writes 6.4 and 6.5, Driver Sessions 21 to 23 and the lists without headings of Logging and URI Options come from the index
 * of the audit.
 */
export const headingLists: readonly HeadingList[] = [
  ...discoveryHeadings,
  ...connectionHeadings,
  ...authenticationHeadings,
  ...operationHeadings,
  ...managementHeadings,
  ...documentHeadings,
];
