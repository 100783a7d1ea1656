import { restoredKeepDays } from '../../platform/blobs/upload-age.ts'
import { flag, numericId, option } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { formatList, isoTime } from '../../platform/cli/table.ts'
import type { Modules } from '../../platform/core/modules.ts'
import { reasonOf } from '../../platform/core/reason.ts'
import { idsRaisedBy, maxIdsRaised } from '../../platform/database/id-limits.ts'
import { describeReconciled } from './reconciled-texts.ts'

type RestoreDetection = Modules['platform']['restoreDetection']

export const restored = command({
  about:
    'After restoring the database by other tools: skip IDs, end sessions and tokens, hold emails, erase and revoke again, and print what to look at.',
  options: {
    by: option(
      '<number>',
      'how many IDs to skip: more than were assigned since (default: 100000)',
      numericId,
    ),
    list: flag('change nothing; only print what to look at'),
    keys: flag(
      'only declare the keys lost that this machine does not have: pauses their webhook endpoints, and apps that were added with them are treated as lost',
    ),
  },
  async run(app, { by, list: isList, keys }, { print }) {
    const {
      platform: { restoreDetection, reconcileKeys },
      upkeep: { compareFiles },
    } = app
    if (keys) {
      const lines = await reconcileKeys({ isLost: true })
      return print(`${lines.join('\n') || 'No key is missing.'}\n`)
    }
    const skipped = idsToSkip(by)
    if (!isList) {
      await assertUndamaged(app)
      print(`${describeReconciled(await restoreDetection.reconcile(skipped), skipped).join('\n')}\n`)
    }
    const list = await restoreDetection.checklist()
    const files = await compareFiles().then(
      found => describeFiles(found, restoredKeepDays),
      error => [`The files could not be compared (${reasonOf(error)}): see "dossier doctor".`],
    )
    print(describeChecklist(list, files))
  },
})

export const ids = group('Manage the IDs of applications, job ads and questionnaires.', {
  raise: command({
    about:
      'After restoring a backup: skip IDs that were assigned since it was made and that callers may have seen.',
    options: {
      by: option('<number>', 'how many: more than were assigned since (default: 100000)', numericId),
    },
    async run(app, { by }) {
      const skipped = idsToSkip(by)
      await assertUndamaged(app)
      await app.platform.raiseIds(skipped)
      return skipped
    },
    prints: skipped => `Skipped ${skipped} IDs of each kind.`,
  }),
})

function idsToSkip(by: number | undefined): number {
  if (by === undefined) return idsRaisedBy
  if (by <= maxIdsRaised) return by
  throw new CommandError(`--by must be ${maxIdsRaised} or less.`, exitCodes.usage)
}

async function assertUndamaged({ platform }: Modules): Promise<void> {
  const damage = await platform.database.examine?.(false)
  if (damage !== undefined) throw new CommandError(`The database ${damage}.`)
}

function describeFiles(
  { missing, unnamed }: { missing: number; unnamed: number },
  keepDays: number,
): string[] {
  return [
    ...(missing === 0
      ? []
      : [`Missing files: ${missing}. Restore them from a backup; "dossier doctor" names one.`]),
    ...(unnamed === 0
      ? []
      : [
          `Files that belong to nothing in this database: ${unnamed}. They are removed after ${keepDays} days.`,
        ]),
  ]
}

function describeChecklist(
  list: Awaited<ReturnType<RestoreDetection['checklist']>>,
  files: readonly string[],
): string {
  const { restoredAt, heldMails, newest, advertisersWithoutAdmin, clientsWithoutSecret } = list
  if (restoredAt === undefined) return 'This database was never restored.\n'
  const points = [
    ...(heldMails === 0
      ? []
      : [
          `${heldMails} held: "dossier mail list" lists emails, "dossier mail retry --held" sends them, "dossier mail drop --held" removes them.`,
        ]),
    ...advertisersWithoutAdmin.map(
      id => `Advertiser ${id} has no admin: "dossier advertiser invite ${id} <email>".`,
    ),
    ...clientsWithoutSecret.map(id => `Client ${id} has no secret: "dossier client rotate ${id}".`),
    ...list.accountsWithoutFactor.map(
      ({ candidateId, email, addedAt }) =>
        `${email} (person ${candidateId}) added a passkey or an authenticator app on ${isoTime(addedAt)}, which the backup does not have: ask the owner to add it again.`,
    ),
    ...files,
    'Roles and settings are those of the backup, and so are passwords that were not changed since. These are the newest of it: check that none was to be ended or changed since.',
  ]
  const rows = newest.map(({ what, id, createdAt }) => ({ what, id, created: isoTime(createdAt) }))
  const table = formatList(rows, { json: false, whenEmpty: 'There are none.' })
  return `\nLook at (restored ${isoTime(restoredAt)}):\n${points.map(point => `- ${point}\n`).join('')}${table}`
}
