import { readFileSync } from 'node:fs'
import { advertiserId } from '../../companies/advertiser-argument.ts'
import {
  argument,
  flag,
  numericId,
  option,
  optionalArgument,
  repeatedArgument,
  repeatedOption,
  requiredOption,
} from '../../platform/cli/arguments.ts'
import { command, group } from '../../platform/cli/command.ts'
import { CommandError, exitCodes } from '../../platform/cli/command-error.ts'
import { isoTime } from '../../platform/cli/table.ts'
import { reasonOf } from '../../platform/core/reason.ts'

const clientId = argument('its client_id')
const changeId = argument('ID that "client changes" shows')

export const client = group(
  'Manage OAuth clients: applications that candidates share their profile with, agents and job boards.',
  {
    add: command({
      about: 'Register a client. Its secret is shown once and stored only as a hash.',
      takes: { id: argument('its client_id: letters, digits, dots, hyphens and underscores') },
      options: {
        name: requiredOption('<name>', 'name that candidates see on the consent page'),
        redirectUri: repeatedOption(
          '<uri>',
          'where candidates return to: https, or http on this machine; compared exactly; may be repeated',
        ),
        agent: option('<agentId>', 'the agent that owns the client', numericId),
        privacyUrl: option('<url>', "the client's privacy notice, linked on the consent page"),
        requirePkce: flag('reject authorization requests without PKCE'),
        scope: repeatedOption(
          '<scope>',
          'r_profile_apply; with --agent r_applications, w_progress and m_webhooks; with --advertiser w_applications; may be repeated (default: the first and, with --agent, the second and third)',
        ),
        advertiser: repeatedOption(
          '<advertiserId>',
          'an advertiser that a job board (w_applications) may send applications to, and that the consent page names a client without an agent with; may be repeated',
          numericId,
        ),
      },
      run: ({ share }, { redirectUri = [], agent = null, scope, advertiser, ...rest }) =>
        share.clients.add({
          ...rest,
          redirectUris: redirectUri,
          agentId: agent,
          // One option may hold several scopes, as in OAuth.
          scopes: scope?.flatMap(words => words.split(/[ ,]+/)).filter(Boolean),
          advertiserIds: advertiser,
        }),
      prints: {
        line: ({ secret }) => secret,
        json: ({ client, advertiserIds, secret }) => {
          const { secretHashes: _, logoHash: _none, disabledAt: _never, ...facts } = client
          return { ...facts, secret, advertiserIds }
        },
      },
    }),
    list: command({
      about: 'List all clients, disabled ones included.',
      run: ({ share }) => share.clients.list(),
      prints: {
        rows: clients =>
          clients.map(client => ({
            id: client.id,
            name: client.name,
            agentId: client.agentId,
            scopes: client.scopes,
            requirePkce: client.requirePkce,
            privacyUrl: client.privacyUrl,
            hasLogo: client.logoHash !== null,
            secrets: client.secrets,
            createdAt: isoTime(client.createdAt),
            disabledAt: isoTime(client.disabledAt),
            redirectUris: client.redirectUris,
            advertisers: client.advertiserIds,
          })),
        whenEmpty: 'No clients yet. Add one with: dossier client add <id> --name <name> --redirect-uri <uri>',
      },
    }),
    allow: command({
      about:
        'Allow a job board to send applications to an advertiser, and the consent page to say that a client without an agent acts on its behalf. Repeating this is harmless.',
      takes: { clientId, advertiserId },
      run: ({ share }, { clientId, advertiserId }) => share.clients.allow(clientId, advertiserId),
      prints: ({ client, advertiser }) => `${client.name} may act for ${advertiser.name}.`,
    }),
    changes: command({
      about: 'List the changes that agents have asked for and that wait for you.',
      run: ({ share }) => share.clientChanges.list(),
      prints: {
        rows: changes =>
          changes.map(({ id, clientId, kind, value, requestedAt }) => ({
            id,
            clientId,
            kind,
            // A terminal cannot show an image.
            value: kind === 'logo' && value !== 'null' ? 'an image' : value,
            requestedAt: isoTime(requestedAt),
          })),
        whenEmpty: 'No changes wait to be confirmed.',
      },
    }),
    confirm: command({
      about: 'Apply a change that an agent has asked for.',
      takes: { changeId },
      run: ({ share }, { changeId }) => share.clientChanges.confirm(changeId),
      prints: ({ clientId, kind }) => `Changed ${kind} of ${clientId}.`,
    }),
    refuse: command({
      about: 'Refuse a change that an agent has asked for.',
      takes: { changeId },
      run: ({ share }, { changeId }) => share.clientChanges.refuse(changeId),
      prints: ({ clientId, kind }) => `Refused to change ${kind} of ${clientId}.`,
    }),
    forbid: command({
      about:
        'Forbid a client to act for an advertiser, starting with the next request; its consents for the advertiser end.',
      takes: { clientId, advertiserId },
      run: ({ share }, { clientId, advertiserId }) => share.clients.forbid(clientId, advertiserId),
      prints: ({ client, advertiser }) => `${client.name} may no longer act for ${advertiser.name}.`,
    }),
    logo: command({
      about: 'Set the logo that candidates see on the consent page: an SVG or PNG of at most 64 KiB.',
      takes: { id: clientId, file: optionalArgument('path of the image') },
      options: { remove: flag('remove the logo') },
      check: ({ file, remove }) => assertEither('logo', file, remove),
      run: ({ share }, { id, file }) =>
        share.clients.setLogo(id, file === undefined ? undefined : readLogo(file)),
      prints: ({ name }, { remove }) => (remove ? `${name} has no logo.` : `${name} has a new logo.`),
    }),
    'redirect-uris': command({
      about: 'Replace all redirect URIs of a client, starting with the next authorization request.',
      takes: {
        id: clientId,
        uri: repeatedArgument('all that are allowed from now on, each as with "client add"'),
      },
      run: ({ share }, { id, uri }) => share.clients.setRedirectUris(id, uri),
      prints: ({ name, redirectUris }) => `The redirect URIs of ${name}: ${redirectUris.join(' ') || 'none'}`,
    }),
    privacy: command({
      about: 'Set the address of the privacy notice that the consent page links.',
      takes: { id: clientId, url: optionalArgument('the address, http or https') },
      options: { remove: flag('remove the link') },
      check: ({ url, remove }) => assertEither('address', url, remove),
      run: ({ share }, { id, url }) => share.clients.setPrivacyUrl(id, url),
      prints: ({ name, privacyUrl }) => `The privacy notice of ${name}: ${privacyUrl ?? 'none'}`,
    }),
    rotate: command({
      about: 'Issue a new secret, shown once. The previous one stays valid until the next rotation.',
      takes: { id: clientId },
      options: { only: flag('revoke all other secrets at once, because one has leaked; tokens stay valid') },
      run: ({ share }, { id, only }) => share.clients.rotate(id, only),
      prints: { line: ({ secret }) => secret, json: ({ secret }, { id }) => ({ id, secret }) },
    }),
    disable: command({
      about: 'Disable a client permanently and revoke its codes and tokens at once.',
      takes: { id: clientId },
      run: ({ share }, { id }) => share.clients.disable(id),
      prints: ({ name }, { id }) => `${name} (${id}) is disabled; its codes and tokens have been revoked.`,
    }),
  },
)

/** A command takes either a value or --remove. */
function assertEither(what: string, value: string | undefined, isRemoval: boolean): void {
  if ((value === undefined) !== isRemoval)
    throw new CommandError(`Give either the ${what} or --remove.`, exitCodes.usage)
}

function readLogo(path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    throw new CommandError(`The file ${path} cannot be read: ${reasonOf(error)}`, exitCodes.usage)
  }
}
