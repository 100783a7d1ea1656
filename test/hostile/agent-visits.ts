/** Where the pages of the demo's agent are checked: each with the value of its parameter. */
export const agentVisits = (personId: string, webhookId: string): Record<string, { person: string[] }> =>
  Object.fromEntries(
    [
      ...['', '/clients', '/webhooks', '/webhooks/new-endpoint', '/people', '/people/leave'].map(page => [
        page,
      ]),
      ['/clients/:clientId', 'demo-ats'],
      ['/people/:personId/remove', personId],
      ...['', '/rotate', '/remove'].map(page => [`/webhooks/endpoints/:webhookId${page}`, webhookId]),
    ].map(([page = '', value = '']) => [
      `/agent/:agentId${page}`,
      { person: [`/agent/20000001${page.replace(/:\w+/, value)}`] },
    ]),
  )
