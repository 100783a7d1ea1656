import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'

export function addDemo(program: Command, context: Context): void {
  const demo = program.command('demo').description('Manage the demo world of "dossier serve --demo".')
  const commands: [string, string, (services: Services) => Promise<boolean>, string][] = [
    [
      'reset',
      'Empty the database and load the demo world again.',
      s => s.demo.reset(),
      'The demo world has been reset.',
    ],
    [
      'remove',
      'Empty a database that contains the demo world.',
      s => s.demo.remove(),
      'The demo world has been removed.',
    ],
  ]
  for (const [name, description, run, report] of commands) {
    demo
      .command(name)
      .description(`${description} Refuses to touch a database with other data.`)
      .action(() =>
        withServices(context, async services => {
          if (!(await run(services))) {
            throw new CommandError(
              'The database contains data other than the demo world: nothing was changed.',
            )
          }
          context.print(`${report}\n`)
        }),
      )
  }
}
