const body = document.querySelector("tbody")
for (let hour = 6; hour < 22; hour++) {
	const row = body.insertRow()
	for (const text of [`No. ${hour - 5}`, `${hour}:10`, `${hour}:55`]) row.insertCell().textContent = text
}
