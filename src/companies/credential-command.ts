import { argument, defaultOption, option, pointInTime } from '../platform/cli/arguments.ts'
import { command, group } from '../platform/cli/command.ts'
import { isoTime } from '../platform/cli/table.ts'
import { advertiserId } from './advertiser-argument.ts'

export const credential = group(
  'Manage SWS credentials, which advertisers use to collect their applications.',
  {
    issue: command({
      about: 'Issue a credential. It is shown once and stored only as a hash.',
      takes: { advertiserId },
      options: {
        label: defaultOption('<label>', 'what it is for', 'command line'),
        expires: option('<time>', 'a day (00:00 UTC) or a time with a zone', pointInTime),
      },
      run: ({ companies }, { advertiserId, label, expires = null }) =>
        companies.credentials.issue(advertiserId, label, expires),
      prints: { line: ({ value }) => value, json: ({ id, value }) => ({ id, credential: value }) },
    }),
    list: command({
      about: 'List the credentials of an advertiser, revoked ones included.',
      takes: { advertiserId },
      run: ({ companies }, { advertiserId }) => companies.credentials.list(advertiserId),
      prints: {
        rows: credentials =>
          credentials.map(({ id, hint, label, ...times }) => ({
            id,
            hint,
            label,
            createdAt: isoTime(times.createdAt),
            expiresAt: isoTime(times.expiresAt),
            revokedAt: isoTime(times.revokedAt),
            lastUsedAt: isoTime(times.lastUsedAt),
          })),
        whenEmpty: ({ advertiserId }) =>
          `No credentials yet. Issue one with: dossier credential issue ${advertiserId}`,
      },
    }),
    revoke: command({
      about: 'Revoke a credential, starting with the next request.',
      takes: { credentialId: argument('the ID that "credential list" shows') },
      run: ({ companies }, { credentialId }) => companies.credentials.revoke(credentialId),
      prints: ({ hint, label }) => `Revoked ${hint} (${label}).`,
    }),
  },
)
