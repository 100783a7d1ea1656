import { advertiserId } from '../../companies/advertiser-argument.ts'
import { peopleCommands } from '../../people/members/invite-command.ts'
import { argument, numericId, option } from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { isoTime } from '../../platform/cli/table.ts'

const agentId = argument('ID of the agent', numericId)

export const agent = group(
  'Manage agents, such as ATS vendors, which act for advertisers that authorise them.',
  {
    add: command({
      about: 'Add an agent and print its ID. Register its client with "client add --agent".',
      takes: { name: argument('name that advertisers see') },
      options: { id: option('<id>', 'your own ID instead of the next free one', numericId) },
      run: ({ companies }, { name, id }) => companies.agents.add(name, id),
      prints: { line: ({ id }) => `${id}`, json: ({ id, name }) => ({ id, name }) },
    }),
    list: command({
      about: 'List all agents, each with the advertisers that authorise it.',
      run: ({ companies }) => companies.agents.list(),
      prints: {
        rows: agents =>
          agents.map(({ id, name, createdAt, advertiserIds }) => ({
            id,
            name,
            createdAt: isoTime(createdAt),
            actsFor: advertiserIds,
          })),
        whenEmpty: 'No agents yet. Add one with: dossier agent add <name>',
      },
    }),
    authorise: command({
      alias: 'authorize',
      about: 'Authorise an agent to collect the applications of an advertiser. Repeating this is harmless.',
      takes: { agentId, advertiserId },
      run: ({ companies }, { agentId, advertiserId }) => companies.agents.authorise(advertiserId, agentId),
      prints: ({ agent, advertiser }) => `${agent.name} may act for ${advertiser.name}.`,
    }),
    withdraw: command({
      about:
        "Withdraw an agent's authorisation. Its tokens for this advertiser stop working with the next request.",
      takes: { agentId, advertiserId },
      run: ({ companies }, { agentId, advertiserId }) => companies.agents.withdraw(advertiserId, agentId),
      prints: ({ agent, advertiser }) => `${agent.name} no longer acts for ${advertiser.name}.`,
    }),
    'allow-progress': command({
      about: 'Let an authorised agent report the progress of applications. Repeating this is harmless.',
      takes: { agentId, advertiserId },
      run: ({ companies }, { agentId, advertiserId }) =>
        companies.agents.setProgress(advertiserId, agentId, true),
      prints: ({ agent, advertiser }) => `${agent.name} may report progress for ${advertiser.name}.`,
    }),
    'end-progress': command({
      about: 'Let an agent read only. Its next report is refused.',
      takes: { agentId, advertiserId },
      run: ({ companies }, { agentId, advertiserId }) =>
        companies.agents.setProgress(advertiserId, agentId, false),
      prints: ({ agent, advertiser }) => `${agent.name} no longer reports progress for ${advertiser.name}.`,
    }),
    ...peopleCommands('agent'),
  },
)
