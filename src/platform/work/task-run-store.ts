import type { ListedTaskRun, TaskRun } from '../core/task-ports.ts'
import type { Database } from '../database/tables.ts'

export type TaskRunStore = ReturnType<typeof createTaskRunStore>

/** Stores the last outcome of each background task, in whichever process. */
export function createTaskRunStore({ writer, reader }: Database) {
  return {
    async record({
      name,
      startedAt,
      endedAt,
      outcome,
      detail,
      fault,
      everySeconds,
    }: TaskRun & { fault?: string }): Promise<void> {
      const run = {
        started_at: startedAt,
        ended_at: endedAt,
        outcome,
        every_seconds: everySeconds,
        detail: JSON.stringify(detail),
        // A success keeps the record of the last failure.
        ...(fault === undefined ? {} : { failed_at: endedAt, fault }),
      }
      await writer
        .insertInto('task_runs')
        .values({ name, failed_at: null, fault: null, ...run })
        .onConflict(conflict => conflict.column('name').doUpdateSet(run))
        .execute()
    },

    async list(): Promise<ListedTaskRun[]> {
      const rows = await reader
        .selectFrom('task_runs as run')
        .leftJoin('leases as lease', 'lease.name', 'run.name')
        .select(['run.name', 'run.started_at as startedAt', 'run.ended_at as endedAt', 'run.outcome'])
        .select(['run.detail', 'run.failed_at as failedAt', 'run.fault'])
        .select(['run.every_seconds as everySeconds', 'lease.held_until as heldUntil'])
        .orderBy('run.name')
        .execute()
      return rows.map(({ detail, ...run }) => ({ ...run, detail: JSON.parse(detail) }))
    },
  }
}
