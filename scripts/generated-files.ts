import { STATUS_CODES } from 'node:http'
import swagger from '@fastify/swagger'
import packageFile from '../package.json' with { type: 'json' }
import { IntakeReceiptSchema } from '../src/apply/intake/schemas.ts'
import { openApp } from '../src/assembly/app.ts'
import { createPublicServer } from '../src/assembly/servers.ts'
import {
  AnswersSchema,
  AttachmentSchema,
  JobApplicationSchema,
  JobApplicationsSchema,
  ScreenSchema,
} from '../src/collect/schemas.ts'
import { AgentAdvertiserSchema } from '../src/companies/agent-routes.ts'
import { feedSchemas } from '../src/events/feed/schemas.ts'
import { WebhookSchema } from '../src/events/webhooks/schemas.ts'
import { JobAdSchema, QuestionnaireSchema } from '../src/jobs/schemas.ts'
import { createLog } from '../src/logging.ts'
import { problemCodes, problems } from '../src/model/problems.ts'
import { progressSchemas } from '../src/model/progress-report.ts'
import { problemSchema } from '../src/platform/http/documents.ts'
import { createMetrics } from '../src/platform/http/observed/metrics.ts'
import { readConfig, settings } from '../src/settings.ts'
import { limits } from '../src/settings-limits.ts'
import { PrefillSchema } from '../src/share/prefill/schemas.ts'
import { OAuthErrorSchema } from '../src/share/protocol/schemas.ts'
import { limitGroups } from '../src/site/docs/limits-markup.ts'
import { dashboard } from './dashboard.ts'
import { fixedLimits } from './fixed-limits.ts'
import { licenceReference } from './licences.ts'
import { type ApiDocument, sdkTypes } from './sdk-types.ts'
import { webhookDocuments } from './webhook-documents.ts'

/** Maps paths in the repository to their contents. `folder` holds a temporary database. */
export async function generatedFiles(folder: string): Promise<Record<string, string>> {
  const document = await openApiDocument(folder)
  return {
    'spec/openapi.json': `${JSON.stringify(document, null, 2)}\n`,
    'sdk/typescript/src/api-types.ts': sdkTypes(document),
    'spec/problems.md': problemCatalogue(),
    'spec/limits.json': `${JSON.stringify(callersLimits(), null, 2)}\n`,
    'docs/reference/settings.md': settingsReference(),
    'docs/reference/licences.md': licenceReference(),
    'deploy/grafana/dashboard.json': `${JSON.stringify(dashboard(), null, 2)}\n`,
  }
}

async function openApiDocument(folder: string): Promise<ApiDocument> {
  const config = readConfig({ DATA_DIR: folder })
  const log = createLog({ level: 'silent', format: 'json', write: () => {} })
  const opened = await openApp(config, log)
  const { app } = await createPublicServer(config, opened, {
    log,
    metrics: createMetrics(),
    isDemo: false,
    baseUrl: () => '',
    authUrl: () => '',
    welcome: () => '',
    async beforeRoutes(instance) {
      await instance.register(swagger, {
        openapi: {
          openapi: '3.1.0',
          info: {
            title: 'Dossier',
            version: packageFile.version,
            license: { name: 'MIT', identifier: 'MIT' },
            description:
              'The apply layer of a job board. Version 2: a candidate lets a third-party application read their profile and resume, to fill in its own form. Version 1: an advertiser, or an agent acting for it, collects its applications. The authorization endpoints issue the tokens for both.',
          },
          servers: [{ url: '/' }],
          tags: [
            { name: 'Authorization', description: 'OAuth 2.0: clients get their tokens here.' },
            {
              name: 'Version 2',
              description: "The parts of a candidate's profile and resume that the candidate released.",
            },
            { name: 'Version 1', description: "The advertiser's applications." },
            {
              name: 'Intake',
              description:
                'Job boards send applications, job ads and questionnaires for the advertisers that they serve.',
            },
            {
              name: 'Webhooks',
              description:
                'Agents manage the endpoints that events are sent to, and list the advertisers that authorise them.',
            },
            { name: 'Service', description: 'Health and documentation of the service.' },
          ],
          components: {
            securitySchemes: {
              sws: {
                type: 'apiKey',
                in: 'header',
                name: 'Authorization',
                description:
                  '`Authorization: SWS <credential>`. A credential issued to the advertiser, or the access token that an agent gets from the token endpoint with scope r_applications; to report progress, with scope w_progress.',
              },
              bearer: {
                type: 'http',
                scheme: 'bearer',
                description:
                  'Prefill and resume: the token that a candidate granted. Completion: a token of the client itself. Intake: a token of the client with scope w_applications. Webhooks and the list of advertisers: a token of an agent with scope m_webhooks.',
              },
              client: {
                type: 'http',
                scheme: 'basic',
                description: 'client_id and client_secret.',
              },
            },
          },
        },
        refResolver: { buildLocalReference: json => String(json['$id']) },
      })
      for (const schema of [
        problemSchema(problemCodes),
        OAuthErrorSchema,
        PrefillSchema,
        IntakeReceiptSchema,
        AttachmentSchema,
        JobApplicationSchema,
        JobApplicationsSchema,
        ScreenSchema,
        AnswersSchema,
        ...feedSchemas,
        WebhookSchema,
        AgentAdvertiserSchema,
        ...progressSchemas,
        JobAdSchema,
        QuestionnaireSchema,
      ]) {
        instance.addSchema(schema)
      }
    },
  })
  try {
    await app.ready()
    return { ...tidied(app.swagger() as unknown as ApiDocument), webhooks: webhookDocuments() }
  } finally {
    await app.close()
    await opened.close()
  }
}

/** Leaves out HEAD, which is GET without the body, and marks operations that need no credential. */
function tidied(document: ApiDocument): ApiDocument {
  for (const operations of Object.values(document.paths)) {
    delete operations['head']
    for (const operation of Object.values(operations)) operation.security ??= []
  }
  return document
}

function problemCatalogue(): string {
  const sections = problemCodes.map(code => {
    const { title, help, status } = problems[code]
    return `## ${code}\n\n${status} ${STATUS_CODES[status]}. ${title}.\n\n${help}\n`
  })
  return `# Problem codes\n\nGenerated from \`src/platform/core/problems.ts\` and \`src/model/problems.ts\` by \`npm run generate\`. The running service explains each code at \`/problems/{code}\`.\n\n${sections.join('\n')}`
}

/** The fixed limits that `/docs/limits` shows. */
function callersLimits(): Record<string, { value: number; reason: string }> {
  const names = Object.values(limitGroups).flatMap(group => Object.keys(group.limits))
  return Object.fromEntries(
    fixedLimits()
      .filter(({ name }) => names.includes(name))
      .toSorted((a, b) => names.indexOf(a.name) - names.indexOf(b.name))
      .map(({ name, value, reason }) => [name, { value, reason }]),
  )
}

function settingsReference(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const names = 'isSecret' in setting ? `\`${name}\`, \`${name}_FILE\`` : `\`${name}\``
    return `| ${names} | ${setting.default} | ${setting.meaning} |`
  })
  const limitRows = Object.values(limits).map(
    ({ setting, value, reason }) => `| \`${setting}\` | ${value} | ${reason} |`,
  )
  const fixedRows = fixedLimits()
    .map(({ name, value, reason }) => `| ${name} | ${value} | ${reason} |`)
    .toSorted()
  return `# Settings

Generated from \`src/settings.ts\`, \`src/settings-limits.ts\` and constants in \`src\` by \`npm run generate\`. Settings are environment variables. An
empty one counts as not set; with a wrong one the service does not start, and a line names the setting.

Settings that may contain a secret can also be read from a file: set the name with \`_FILE\` to its path, such as
\`DATABASE_URL_FILE=/run/secrets/database-url\`, instead of the name itself. Setting both is an error, and so is an empty file.
Credentials of S3 come from the AWS SDK, which reads the file in \`AWS_SHARED_CREDENTIALS_FILE\`.

| setting | default | meaning |
|---|---|---|
${rows.join('\n')}

## Limits that are settings

| setting | default | reason |
|---|---|---|
${limitRows.join('\n')}

## Limits that are fixed

| limit | value | reason |
|---|---|---|
${fixedRows.join('\n')}
`
}
