import { createAuditLog } from '../audit/service.ts'
import { createAuditStore } from '../storage/audit/audit-store.ts'
import { createHeadNotes } from '../storage/audit/head-notes.ts'
import type { Task } from '../work/ports.ts'
import type { Platform } from './platform.ts'

export type AuditModule = ReturnType<typeof openAudit>

export function openAudit({ database, blobs, clock, log, limits }: Platform) {
  const auditLog = createAuditLog({
    store: createAuditStore(database),
    notes: createHeadNotes(blobs.places),
    clock,
    log,
    limits,
  })
  const auditTask: Task = { name: 'audit', everySeconds: limits.auditEverySeconds, run: auditLog.run }
  return { auditLog, auditTask }
}
