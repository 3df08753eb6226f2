import $ from 'jquery';

window.jQuery = $;
function add() { __cv00000000aa()[1]++; }
function edit() { __cv00000000aa()[2]++; }
function type() { __cv00000000aa()[3]++; }
function outer() { __cv00000000aa()[4]++; }
let count = 0;
$('#root').html('<div><button class=count>Count 0</button><button class=add>Add</button><span>Edit me</span><input aria-label=Text></div>');
$('.count').on('click', function () { $(this).text(`Count ${++count}`); });
$(document).on('click', '.add', add);
$('#root').on('dblclick', 'span', edit).on('input', 'input', type);
$('#root > div').on('click', outer);
