import { command, group } from '../../platform/cli/command.ts'

export const counts = group('Manage the numbers of applications that the console shows.', {
  repair: command({
    about: 'Count the applications of every advertiser again and correct the numbers; the service may run.',
    async run({ companies, collect }) {
      let corrected = 0
      for (const { id } of await companies.advertisers.list())
        corrected += (await collect.counts.repair(id)).length
      return corrected
    },
    prints: corrected =>
      corrected === 0
        ? 'All counts are right.'
        : `Corrected ${corrected === 1 ? '1 count' : `${corrected} counts`}.`,
  }),
})
