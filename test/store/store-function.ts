import type { Kind, Scene } from './scene.ts'
import type { Stores } from './stores.ts'

export type Sample = (stores: Stores, scene: Scene) => Promise<unknown>

interface Ownership {
  /** Whose data it is about, and so what it takes first; an advertiser's by default. */
  of?: Kind
  /** Why it may look beyond one owner. */
  exception?: string
  /** What a stranger must get when it asks for what the owner has. */
  strangerGets?: unknown
  /** Reads, makes or changes data of the caller: a stranger may, for its own. */
  actsOnOwn?: true
  /** Returns nothing: its effect shows in the tables alone. */
  tellsNothing?: true
  /** Tables without an owner that it changes for all. */
  shared?: string[]
  /**
   * Tables whose rows it reaches by another column than the owner's: by a secret, or by a key that the same transaction
   * has found to be the owner's before.
   */
  reachedBy?: Record<string, string | string[]>
}

export interface StoreFunction extends Ownership {
  /** Calls that together send every shape of its SQL. */
  samples: Sample[]
}

/** With the calls, or the only one. */
export type StoreFunctions = Record<string, Ownership & ({ sample: Sample } | { samples: Sample[] })>

export const exceptions = {
  secret: 'the secret is what says who asks',
  operator: "the operator's own look-up or list",
  demo: 'the demo world: it fills and empties whole databases, and refuses those that are not its own',
  sweep: 'removes what is over, whoever had it',
} as const
