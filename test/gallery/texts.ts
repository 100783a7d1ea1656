import { type Html, html } from '../../src/platform/web/html.ts'

const sentence = 'A candidate wrote this in one go, without a single line break, and it still has to fit. '

export const componentsTexts = {
  title: 'Components',
  lead: 'Every component in every state. The page follows the theme of your system: switch it to see the other one.',
  contents: 'On this page',

  colours: {
    title: 'Colours',
    text: 'Named by purpose. Light on the left, dark on the right; a colour without a second value is the same in both.',
    caption: 'Colours',
    name: 'Token',
    light: 'Light',
    dark: 'Dark',
  },
  measures: { title: 'Spacing, type and corners', caption: 'Other tokens', name: 'Token', value: 'Value' },

  type: {
    title: 'Text',
    second: 'Section heading',
    third: 'Subsection heading',
    plain: html`A paragraph with <a href="#type">a link</a>, <strong>something important</strong> and <code>code</code>.`,
    quiet: 'Quiet text, for secondary details.',
    hint: 'A hint, below a label.',
    lead: 'A lead, below the title of a page.',
    pre: 'curl https://jobs.example/v1/advertiser/applications',
  },

  buttons: {
    title: 'Buttons',
    first: 'Primary',
    second: 'Secondary',
    danger: 'Danger',
    link: 'Styled as a link',
    anchor: 'A link styled as a button',
    disabled: 'Disabled',
    long: 'A button with more words than anyone wants to read before pressing it',
    focus: html`Press <kbd>Tab</kbd>: the focused element has a three-pixel ring in the accent colour, offset by two pixels. A submitted form is <code>aria-busy</code>, and its buttons are disabled.`,
  },

  notices: {
    title: 'Notices',
    info: 'Information: something the reader needs to know.',
    good: 'Success: it worked.',
    warning: 'Warning: it worked, but needs attention.',
    problem: 'Problem: it didn’t work. Announced immediately.',
    long: `${sentence.repeat(6)}`.trim(),
  },

  badges: {
    title: 'Badges',
    neutral: 'Closed',
    accent: 'New',
    good: 'Active',
    warning: 'Expires soon',
    danger: 'Virus found',
  },

  fields: {
    title: 'Fields',
    text: 'Each with its label, hint and error.',
    kinds: { text: 'Text', area: 'Long text', select: 'Choice' },
    states: {
      empty: 'empty',
      filled: 'filled',
      hint: 'with a hint',
      wrong: 'invalid',
      readonly: 'read-only',
      disabled: 'disabled',
      long: '500 characters',
      rtl: 'right to left',
    },
    label: (kind: string, state: string) => `${kind}, ${state}`,
    needed: 'Required',
    value: 'Newcastle',
    hint: 'As stated in your contract.',
    fault: 'Enter a location.',
    long: sentence.repeat(7).slice(0, 500),
    rtl: 'مرحبا بالعالم',
    none: 'Choose a location',
    tick: 'A checkbox',
    ticked: 'A ticked checkbox',
    tickWrong: 'A required checkbox',
    tickFault: 'Tick this box to continue.',
    date: 'A date',
    file: 'A file',
  },

  summary: { title: 'Error summary', text: 'Shown above a form with errors. Each line links to its field.' },

  copy: {
    title: 'Copy field',
    text: 'The button appears only where a script can copy.',
    label: 'A value to copy',
    value: 'sws_example_0123456789',
    command: {
      label: 'A command to copy',
      value: "curl -H 'Authorization: SWS sws_example_0123456789'",
    },
  },

  tables: {
    title: 'Tables',
    text: 'On a narrow page each row becomes a card.',
    one: 'A table with one row',
    many: 'A table with long rows',
    columns: ['Name', 'State', 'When'],
    actions: 'Actions',
    action: 'Open',
    open: (name: string) => `Open ${name}`,
    name: 'Mary Nguyen',
  },

  empty: {
    title: 'Empty state',
    heading: 'Nothing here yet',
    text: 'What an empty list shows, with a way to add the first entry.',
    action: 'Add the first one',
  },

  paging: { title: 'Pager and breadcrumb', above: ['Home', 'Components'] },

  meters: {
    title: 'Meter, progress and loading',
    meter: 'Profile: 3 of 5 sections complete',
    full: 'Profile: complete',
    progress: 'Sending the file',
    loading: 'Loading applications …',
    loadingText:
      'Pages arrive complete from the server, so this is used only where a script fetches something, such as a preview.',
  },

  chart: {
    title: 'Chart',
    bars: 'Applications per day',
    summary: 'Bar chart of applications per day, peaking at 1,200 on 14 Nov.',
    emptyTitle: 'An empty chart',
    empty: 'No applications in this period.',
    day: (day: number) => `${day} Nov`,
  },

  cards: {
    title: 'Cards',
    heading: 'A card',
    text: 'Groups related content.',
    values: 'A list of values',
    pairs: [
      ['Email address', 'mary@example.com'],
      ['Phone', '0491 570 006'],
    ],
    details: 'More details',
    detailsText: 'Hidden until the reader opens it.',
  },

  tabs: {
    title: 'Tabs',
    area: 'Harbour Coffee Roasters',
    labels: ['Applications', 'Job ads', 'Questionnaires'],
  },

  preview: { title: 'File preview', name: 'resume.pages' },

  time: {
    title: 'Times',
    text: (time: Html): Html => html`In the reader’s time zone, with the exact time as a tooltip: ${time}`,
  },
} as const
