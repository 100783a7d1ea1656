import type { ProblemCode } from '../platform/core/problems.ts'
import { documentProblems } from '../platform/http/documents.ts'
import { problems } from './problems.ts'

/** The problem responses of a route, for OpenAPI. */
export const problemResponses = (codes: readonly ProblemCode[]) => documentProblems(problems, codes)
