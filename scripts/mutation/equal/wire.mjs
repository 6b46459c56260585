/** @type {readonly import('../equal.mjs').Equal[]} */
export default [];
