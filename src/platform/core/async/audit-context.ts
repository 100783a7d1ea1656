import { AsyncLocalStorage } from 'node:async_hooks'
import type { Clock } from '../clock.ts'

export const actorKinds = ['person', 'operator', 'credential', 'client', 'agent', 'command', 'task'] as const

/**
 * IDs only: an account, a credential, a client, an agent, the operating system's user at a shell, the name of a task.
 */
export interface Actor {
  kind: (typeof actorKinds)[number]
  id: string
  /** How the actor's identity was proved: `password`, `passkey`, `token`, `shell`, ... */
  proof: string
}

/** Audit context: actor, request ID and network address. */
export interface AuditContext {
  clock: Clock
  /** Undefined on a public page until it knows the actor, which it then passes to `recordAudit`. */
  actor?: Actor | undefined
  requestId?: string | undefined
  /** The actor's network address. */
  address?: string | undefined
}

const surroundings = new AsyncLocalStorage<AuditContext>()
let ofProgram: AuditContext | undefined

/** Attributes to this actor everything that `work` does and awaits. */
export function withAuditContext<T>(auditContext: AuditContext, work: () => T): T {
  return surroundings.run(auditContext, work)
}

/**
 * Runs work without an audit context: effects of one caller's act, such as waking others, must not be done in its name.
 */
export const withoutAuditContext = AsyncLocalStorage.snapshot()

/** Like `withAuditContext`, unless another actor, such as a command, is already set. */
export function withAuditContextUnlessKnown<T>(auditContext: AuditContext, work: () => T): T {
  return surroundings.getStore()?.actor === undefined ? withAuditContext(auditContext, work) : work()
}

/** For programs that open the service without its server, its commands or its tasks: benchmarks and tests. */
export function setDefaultAuditContext(auditContext: AuditContext): void {
  ofProgram = auditContext
}

/** Throws without an actor: an act of an unknown actor must fail instead of being recorded as such. */
export function currentAuditContext(known?: Actor): AuditContext & { actor: Actor } {
  const auditContext = surroundings.getStore() ?? ofProgram
  const actor = known ?? auditContext?.actor
  if (auditContext === undefined || actor === undefined)
    throw new Error(
      'an act must be recorded, but no actor is known here: see src/platform/core/async/audit-context.ts',
    )
  return { ...auditContext, actor }
}

/** Audit context of a background task. */
export const asTask = (name: string, clock: Clock): AuditContext => ({
  clock,
  actor: { kind: 'task', id: name, proof: 'process' },
})
