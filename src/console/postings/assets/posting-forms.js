;(() => {
  const main = document.getElementById('main')
  let isTouched = false

  /** A character counter, shown only near the limit. */
  function count(field) {
    const most = Number(field.dataset.most)
    const template = field.dataset.counter
    if (!most || !template) return
    let counter = document.getElementById(`${field.id}-count`)
    const { length } = field.value.trim()
    if (length <= most * 0.8) {
      counter?.remove()
      return
    }
    if (!counter) {
      counter = document.createElement('span')
      counter.className = 'hint'
      counter.id = `${field.id}-count`
      field.after(counter)
    }
    counter.textContent = template.replace('{length}', length).replace('{most}', most)
  }

  const countAll = () => main.querySelectorAll('[data-posting] [data-counter]').forEach(count)

  /** For the add, move and remove buttons: replaces the form with the server's response, without a page load. */
  async function change(form, button) {
    const body = new URLSearchParams(new FormData(form, button))
    form.setAttribute('aria-busy', 'true')
    try {
      const answer = await fetch(form.action, { method: 'POST', body, headers: { accept: 'text/html' } })
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html')
      const next = page.querySelector('form[data-builder]')
      if (!answer.ok || !next) throw new Error('no form')
      const focus = next.querySelector('[autofocus]')
      // Browsers honour autofocus only on page load, and log a warning later.
      focus?.removeAttribute('autofocus')
      form.replaceWith(next)
      main.querySelector('.preview')?.remove()
      isTouched = true
      countAll()
      focus?.focus()
    } catch {
      // On any failure, let the browser submit the form and show the response.
      form.removeAttribute('aria-busy')
      form.dataset.plain = ''
      form.requestSubmit(button)
    }
  }

  function onSubmit(event) {
    const { target: form, submitter } = event
    if (!form.matches('[data-posting]')) return
    const isEdit = submitter !== null && 'edit' in submitter.dataset
    if (!isEdit || !('builder' in form.dataset) || 'plain' in form.dataset) {
      isTouched = false
      return
    }
    event.preventDefault()
    if (form.getAttribute('aria-busy') !== 'true') change(form, submitter)
  }

  // In the capture phase, before page.js treats it as a submitted form.
  document.addEventListener('submit', onSubmit, { capture: true })

  document.addEventListener('input', ({ target }) => {
    if (!target.closest?.('[data-posting]')) return
    isTouched = true
    if ('counter' in target.dataset) count(target)
  })

  // The browser asks before entered values are lost.
  addEventListener('beforeunload', event => {
    if (isTouched) event.preventDefault()
  })

  countAll()
})()
