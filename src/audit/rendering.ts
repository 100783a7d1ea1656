import type { AuditEntry } from './ports.ts'

/** An entry for programs: times in ISO 8601, before and after as objects, and the chain's own fields as they are hashed. */
export function entryJson(entry: AuditEntry) {
  const { scope, number, at, actorKind, actorId, before, after, ...rest } = entry
  return {
    scope: scope === 0 ? 'board' : scope,
    number,
    at: new Date(at).toISOString(),
    actor: `${actorKind}:${actorId}`,
    ...rest,
    before: before === null ? null : (JSON.parse(before) as unknown),
    after: after === null ? null : (JSON.parse(after) as unknown),
  }
}

export const csvHead = [
  ...(['scope', 'number', 'at', 'actor', 'proof', 'action', 'target', 'before', 'after'] as const),
  ...(['requestId', 'address', 'prev', 'hash'] as const),
]

export const csvCells = (entry: AuditEntry): (string | number | null)[] => {
  const { scope, number, at, actorKind, actorId, proof, action, target, before, after } = entry
  return [
    ...[scope === 0 ? 'board' : scope, number, new Date(at).toISOString(), `${actorKind}:${actorId}`],
    ...[proof, action, target, before, after, entry.requestId, entry.address, entry.prev, entry.hash],
  ]
}
