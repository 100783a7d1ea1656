import { carryOutSnapshotTask } from '../../platform/backup/snapshot-task.ts'

await carryOutSnapshotTask(async () => (await import('../../schema/migrations/list.ts')).migrations)
