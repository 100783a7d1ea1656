import { passwordCost } from '../../src/platform/core/password.ts'

/** What a hash costs outside of tests. */
export const realCost = { ...passwordCost }

// Nearly every test signs in, and few are about how long that takes. A stored hash is checked with the cost that it names,
// also by processes that a test starts.
Object.assign(passwordCost, { memory: 8, passes: 1 })
