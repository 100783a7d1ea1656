/**
 * The kinds of data that a candidate can choose to share; name and email address are always shared. The database stores
 * a set of them as one number with a bit for each in this order, so the order must never change.
 */
export const categories = ['phone', 'location', 'qualification', 'workHistory', 'salary', 'resume'] as const
export type Category = (typeof categories)[number]

export const categoryLabels: Record<Category, string> = {
  phone: 'Phone number',
  location: 'Location',
  qualification: 'Qualification and skills',
  workHistory: 'Work history',
  salary: 'Salary and work rights',
  resume: 'Resume',
}

export const allCategories = 2 ** categories.length - 1

export function bitsOf(chosen: Iterable<Category>): number {
  let bits = 0
  for (const category of chosen) bits |= 1 << categories.indexOf(category)
  return bits
}

export function categoriesOf(bits: number): Category[] {
  return categories.filter((_, index) => (bits & (1 << index)) !== 0)
}

export function includes(bits: number, category: Category): boolean {
  return (bits & bitsOf([category])) !== 0
}
