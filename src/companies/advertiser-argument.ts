import { argument, numericId } from '../platform/cli/arguments.ts'

export const advertiserId = argument('ID of the advertiser', numericId)
