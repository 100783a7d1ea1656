import type { Command } from 'commander'
import { numericId } from '../terminal/arguments.ts'
import { type Context, withServices } from '../terminal/context.ts'
import { formatList, isoTime } from '../terminal/table.ts'
import { addPeople } from './invite.ts'

export function addAgent(program: Command, context: Context): void {
  const agent = program
    .command('agent')
    .description('Manage agents, such as ATS vendors, which act for advertisers that authorise them.')

  agent
    .command('add')
    .description('Add an agent and print its ID. Register its client with "client add --agent".')
    .argument('<name>', 'name that advertisers see')
    .option('--id <id>', 'your own ID instead of the next free one', numericId)
    .option('--json', 'print JSON')
    .action((name: string, options: { id?: number; json?: boolean }) =>
      withServices(context, async services => {
        const added = await services.agents.add(name, options.id)
        const { id } = added
        context.print(options.json ? `${JSON.stringify({ id, name: added.name })}\n` : `${id}\n`)
      }),
    )

  agent
    .command('list')
    .description('List all agents, each with the advertisers that authorise it.')
    .option('--json', 'print JSON')
    .action((options: { json?: boolean }) =>
      withServices(context, async services => {
        const isJson = options.json === true
        const rows = (await services.agents.list()).map(({ id, name, createdAt, advertiserIds }) => ({
          id,
          name,
          createdAt: isoTime(createdAt),
          actsFor: isJson ? advertiserIds : advertiserIds.join(' ') || null,
        }))
        const whenEmpty = 'No agents yet. Add one with: dossier agent add <name>'
        context.print(formatList(rows, { json: isJson, whenEmpty }))
      }),
    )

  agent
    .command('authorise')
    .alias('authorize')
    .description(
      'Authorise an agent to collect the applications of an advertiser. Repeating this is harmless.',
    )
    .argument('<agentId>', 'ID of the agent', numericId)
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((agentId: number, advertiserId: number) =>
      withServices(context, async services => {
        const { agent, advertiser } = await services.agents.authorise(advertiserId, agentId)
        context.print(`${agent.name} may act for ${advertiser.name}.\n`)
      }),
    )

  agent
    .command('withdraw')
    .description(
      "Withdraw an agent's authorisation. Its tokens for this advertiser stop working with the next request.",
    )
    .argument('<agentId>', 'ID of the agent', numericId)
    .argument('<advertiserId>', 'ID of the advertiser', numericId)
    .action((agentId: number, advertiserId: number) =>
      withServices(context, async services => {
        const { agent, advertiser } = await services.agents.withdraw(advertiserId, agentId)
        context.print(`${agent.name} no longer acts for ${advertiser.name}.\n`)
      }),
    )

  addPeople(agent, context, 'agent')
}
