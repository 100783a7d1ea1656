import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../clock.ts'

export const actorKinds = ['person', 'operator', 'credential', 'client', 'agent', 'command', 'task'] as const

/** IDs only: an account, a credential, a client, an agent, the system's user at a shell, the name of a task. */
export interface Actor {
  kind: (typeof actorKinds)[number]
  id: string
  /** How the actor proved itself: `password`, `passkey`, `token`, `shell`, ... */
  proof: string
}

/** The surroundings of an act: who acts, for which request, from where. */
export interface Acting {
  clock: Clock
  /** Undefined until a public page knows: it passes the actor to `recordAudit`. */
  actor?: Actor | undefined
  requestId?: string | undefined
  /** Of the network. */
  address?: string | undefined
}

const surroundings = new AsyncLocalStorage<Acting>()
let ofProgram: Acting | undefined

/** Everything that `work` does, and what it awaits, is done by this actor. */
export function actAs<T>(acting: Acting, work: () => T): T {
  return surroundings.run(acting, work)
}

/** Runs work outside of every act: what one caller causes, such as waking others, must not be done in its name. */
export const outsideOfActs = AsyncLocalStorage.snapshot()

/** As `actAs`, unless another actor, such as a command, is at work already. */
export function actAsUnlessKnown<T>(acting: Acting, work: () => T): T {
  return surroundings.getStore()?.actor === undefined ? actAs(acting, work) : work()
}

/** For programs that open the service without its server, its commands or its tasks: benches and tests. */
export function actByDefault(acting: Acting): void {
  ofProgram = acting
}

/** Throws without an actor: an act of an unknown actor must fail, not be recorded as such. */
export function currentActing(known?: Actor): Acting & { actor: Actor } {
  const acting = surroundings.getStore() ?? ofProgram
  const actor = known ?? acting?.actor
  if (acting === undefined || actor === undefined)
    throw new Error('an act must be recorded, but no actor is known here: see src/core/async/acting.ts')
  return { ...acting, actor }
}

/** Background work of this name. */
export const asTask = (name: string, clock: Clock): Acting => ({
  clock,
  actor: { kind: 'task', id: name, proof: 'process' },
})
