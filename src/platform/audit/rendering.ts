import type { AuditEntry } from './ports.ts'

/** An entry for programs: times in ISO 8601, before and after as objects, and the chain's own fields as hashed. */
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
    scope === 0 ? 'board' : scope,
    number,
    new Date(at).toISOString(),
    `${actorKind}:${actorId}`,
    proof,
    action,
    target,
    before,
    after,
    entry.requestId,
    entry.address,
    entry.prev,
    entry.hash,
  ]
}

/** `role: admin → recruiter`. */
export function changeText({ before, after }: Pick<AuditEntry, 'before' | 'after'>): string {
  const [was, is] = [before, after].map(json => (json === null ? {} : (JSON.parse(json) as object)))
  const names = new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])
  const textOf = (of: object | undefined, name: string) => {
    const value = new Map(Object.entries(of ?? {})).get(name)
    return /At$|Until$/.test(name) && typeof value === 'number' ? new Date(value).toISOString() : value
  }
  return [...names]
    .map(name => {
      const [from, to] = [textOf(was, name), textOf(is, name)]
      return from === undefined ? `${name}: ${to}` : `${name}: ${from} → ${to ?? '–'}`
    })
    .join(', ')
}
