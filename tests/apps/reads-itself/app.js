// An app that shows how long its own script is: counters change what it shows.
const request = new XMLHttpRequest();
request.open('GET', 'app.js', false);
request.send();
document.getElementById('size').textContent = `${request.responseText.length} characters`;
document.getElementById('more').onclick = () => {
  document.title = 'More';
};
