import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sends a person to add a second factor, and then back to the requested page. */
export async function sendToEnrolment(
  request: FastifyRequest,
  reply: FastifyReply,
  enrolment: string,
): Promise<void> {
  const { formPage = request.url.replace(/\?.*$/s, '') } = request.routeOptions.config
  const page = request.method === 'GET' ? request.url : formPage
  const location = `${enrolment}&continue=${encodeURIComponent(page)}`
  await reply.status(303).headers({ location, 'cache-control': 'no-store' }).send()
}
