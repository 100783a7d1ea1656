import { BackupRefused } from './faults.ts'

/** Why the restore was refused. */
export const inUse = () =>
  new BackupRefused(
    'A process uses this database. Stop the service, its workers and "dossier work", and run the command again.',
  )

export const mayNotCreate = (grant: string) =>
  new BackupRefused(
    `A restore builds the database in a schema of its own, which the role in DATABASE_URL may not create. Run "${grant}" as the owner of the database, and the command again.`,
  )

export const notEmpty = (where: string) =>
  new BackupRefused(
    `${where} already contains data. Add --replace to put the set in its place; what is there is kept under another name.`,
  )

/** `before-restore-2026-11-16T02-00-00-123Z`, to the millisecond: a restore may be repeated immediately. */
export const keptName = (now: number) => `before-restore-${new Date(now).toISOString().replace(/[:.]/g, '-')}`
