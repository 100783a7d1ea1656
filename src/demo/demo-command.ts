import { command, group } from '../platform/cli/command.ts'
import { CommandError } from '../platform/cli/command-error.ts'
import type { Modules } from '../platform/core/modules.ts'

const changeWorld = (
  about: string,
  change: (demo: Modules['demo']['demo']) => Promise<boolean>,
  done: string,
) =>
  command({
    about: `${about} Refuses to touch a database with other data.`,
    async run({ demo }) {
      if (!(await change(demo.demo)))
        throw new CommandError('The database contains data other than the demo world: nothing was changed.')
    },
    prints: () => done,
  })

export const demo = group('Manage the demo world of "dossier serve --demo".', {
  reset: changeWorld(
    'Empty the database and load the demo world again.',
    demo => demo.reset(),
    'The demo world has been reset.',
  ),
  remove: changeWorld(
    'Empty a database that contains the demo world.',
    demo => demo.remove(),
    'The demo world has been removed.',
  ),
})
