import type { Command } from 'commander'
import type { Services } from '../../app.ts'
import { CommandError, type Context, withServices } from '../terminal/context.ts'

export function addDemo(program: Command, context: Context): void {
  const demo = program.command('demo').description('The demo world of "dossier serve --demo".')
  const commands: [string, string, (services: Services) => Promise<boolean>, string][] = [
    [
      'reset',
      'Empty the database and load the demo world anew.',
      s => s.demo.reset(),
      'The demo world is as new.',
    ],
    [
      'remove',
      'Empty a database that holds the demo world.',
      s => s.demo.remove(),
      'The demo world is gone.',
    ],
  ]
  for (const [name, description, run, report] of commands) {
    demo
      .command(name)
      .description(`${description} Refuses a database with data of its own.`)
      .action(() =>
        withServices(context, async services => {
          if (!(await run(services))) {
            throw new CommandError("The database holds data that is not the demo's: nothing was changed.")
          }
          context.print(`${report}\n`)
        }),
      )
  }
}
